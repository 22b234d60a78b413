"""Edits copies of sample files with spandrel and asks the formats' own software what it reads, before and after. See README.md."""
import argparse
import collections
import copy
import fnmatch
import json
import os
import random
import re
import select
import shutil
import subprocess
import sys
import tempfile
import time
import traceback

import environment
import leaves

HERE = os.path.dirname(os.path.abspath(__file__))
LONGEST = 200_000  # characters of a reading: longer files are read as they are and not edited, since every edit is a reading

CRASH = {"error": "crashes"}


class Reader:
    """The formats' own software as a process: a line in, a line out. It starts again where a file makes it crash or hang."""

    def __init__(self, command, timeout=60):
        self.command, self.timeout, self.process = command, timeout, None

    def start(self):
        self.process = subprocess.Popen(self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.software = json.loads(self.process.stdout.readline())["software"]

    def read(self, *request):
        """what the software says of a file. What crashes it is asked again: what came before may have been the reason."""
        answer = self.ask(*request)
        return self.ask(*request) if answer == CRASH else answer

    def ask(self, *request):
        if self.process is None or self.process.poll() is not None:
            self.start()
        self.process.stdin.write(("\t".join(request) + "\n").encode("utf-8", "surrogateescape"))
        self.process.stdin.flush()
        while True:  # libraries may print lines of their own
            ready, _, _ = select.select([self.process.stdout], [], [], self.timeout)
            line = self.process.stdout.readline() if ready else b""
            if line.startswith(b"{"):
                self.length = len(line)
                return json.loads(line)
            if not line:
                break
        self.process.kill()
        self.process.wait()
        self.process = None
        return CRASH if ready else {"error": f"no answer in {self.timeout} s"}


# An edit of a copy of a sample: a kind for the table, the command's arguments with PATH for the copy, PATH.x for a file beside it (and ";" before a
# next command), and what the reader's output of before must be made into (None where only agreement is asked for: what check says against whether the reader reads).
Edit = collections.namedtuple("Edit", "kind args expect")


class Run:
    """One format: its samples, its reader, and what came of every edit."""

    def __init__(self, fmt, spandrel, reader, options):
        self.fmt, self.spandrel, self.reader, self.options = fmt, spandrel, reader, options
        self.table = collections.defaultdict(collections.Counter)
        self.faults, self.reverse = [], collections.Counter()
        self.work = tempfile.mkdtemp(prefix="interop-")
        self.random = random.Random(options.seed)
        self.began = time.time()

    def late(self):
        return self.options.seconds and time.time() - self.began > self.options.seconds

    def command(self, *args, path=None):
        args = [self.fmt.target(path) + a[4:] if a.startswith("PATH") else a for a in args]
        return subprocess.run([self.spandrel, *args], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=os.environ | self.fmt.ENV, timeout=120)

    def copy(self, sample):
        to = os.path.join(self.work, "copy")
        shutil.rmtree(to, ignore_errors=True)
        os.makedirs(to)
        to = os.path.join(to, os.path.basename(sample))
        (shutil.copytree if os.path.isdir(sample) else shutil.copy)(sample, to)
        return to

    def dump(self, path):
        out = self.command("dump", "--json", "--all", "--elements", "40", "PATH", path=path).stdout
        return [json.loads(line) for line in out.decode().splitlines()]

    def errors(self, path):
        """the rules of the errors that check --deep finds."""
        out = self.command("check", "--deep", "--effort", "0", "--json", "PATH", path=path)
        found = [json.loads(line) for line in out.stdout.decode().splitlines()]
        self.warned = any(f.get("severity") == "warning" for f in found)
        rules = sorted({f["rule"] for f in found if f.get("severity") == "error"})
        return rules or (["exit status %d" % out.returncode] if out.returncode else [])

    def fault(self, kind, sample, what, args=(), rules=()):
        line = " ".join([self.fmt.NAME, kind, short(sample), *args, "–", what])
        if rules and damaged(kind, sample) and set(rules) <= EXCEPTIONS.keys() or any(fnmatch.fnmatch(line, pattern) for pattern in EXCEPTIONS):
            self.reverse["listed"] += 1
        else:
            self.faults.append(line)
            if self.options.verbose:
                print("FAULT", line, file=sys.stderr, flush=True)

    def agree(self, kind, sample, path, answer):
        """holds what check says against whether the software reads the file."""
        rules = self.errors(path)
        refused = refusal(answer) or self.fmt.wrong(answer["read"])
        self.reverse["cases"] += 1
        self.reverse["refused" if refused else "read"] += 1
        if self.options.quick:
            return rules  # the quick share is about what we save
        if refused and not rules:
            self.fault(kind, sample, f"the software refuses what check calls clean: {refused}")
        elif rules and not refused:
            self.reverse["read with error"] += 1
            self.fault(kind, sample, f"the software reads what check calls broken: {', '.join(rules)}", rules=rules)
        return rules

    def sample(self, sample):
        path = self.copy(sample)
        before = self.reader.read(*self.fmt.request(path))
        if self.agree("as it is", sample, path, before):
            return self.mend(sample, path)
        if refusal(before):
            return
        if self.reader.length > LONGEST:
            self.reverse["only read"] += 1
            return
        self.lasting = False
        if self.fmt.work(path):
            again = self.reader.read(*self.fmt.work(path))
            self.lasting = not refusal(again) and self.fmt.normal(again["read"]) == self.fmt.normal(copy.deepcopy(before["read"]))
            path = self.copy(sample)
        others = 0 if self.options.quick else self.options.each * 8
        for edit in self.fmt.edits(self, path, before["read"]):
            if self.options.kind not in edit.kind:
                continue
            if self.late():
                return
            others -= edit.expect is None
            if edit.expect or others >= 0:
                self.edit(sample, before["read"], edit)
        for _ in range(self.options.mutants):
            self.mutant(sample)

    def mend(self, sample, path):
        """fix leaves no error only where the software then reads the file."""
        count = self.table["fix"]
        count["agreed"] = 1  # that the software reads it is all that is asked
        count["tried"] += 1
        done = self.command("fix", "--no-backup", "PATH", path=path)
        if done.returncode:
            count["refused"] += 1
            return
        count["saved"] += 1
        refused = refusal(self.reader.read(*self.fmt.request(path)))
        count["opened"] += not refused
        if refused:
            self.fault("fix", sample, f"clean after fix, and refused: {refused}")

    def edit(self, sample, before, edit):
        path, count = self.copy(sample), self.table[edit.kind]
        self.before, before = before, copy.deepcopy(before)
        count["tried"] += 1
        forced = False
        for args in split(edit.args):
            done = self.command(args[0], "--no-backup", *args[1:], path=path)
            if edit.expect and b"--force saves it" in done.stderr:
                forced = True
                done = self.command(args[0], "--no-backup", "--force", *args[1:], path=path)
            if done.returncode:
                break
        if done.returncode:
            count["refused"] += 1
            word = done.stderr.decode(errors="replace").strip()
            if not word or "panic" in word or " has no action " in word:
                self.fault(edit.kind, sample, f"exit status {done.returncode}, says {word[:200]!r}", edit.args)
            elif self.options.verbose:
                print("refused:", *edit.args, word[:200], file=sys.stderr)
            return
        after = self.reader.read(*self.fmt.request(path))
        refused = refusal(after)
        if forced and refused:  # as it was said
            count["refused"] += 1
            count["rightly"] += 1
            return
        count["forced"] += forced
        count["saved"] += 1
        count["opened"] += not refused
        if edit.expect is None:
            count["agreed"] += 1
            return self.agree(edit.kind + " " + " ".join(edit.args), sample, path, after)
        if refused:
            return self.fault(edit.kind, sample, f"saved, and refused by the software: {refused}", edit.args)
        wanted, got = self.fmt.normal(edit.expect(before)), self.fmt.normal(after["read"])
        if got != wanted:
            return self.fault(edit.kind, sample, difference(wanted, got), edit.args)
        count["exact"] += 1
        if past := self.fmt.past(sample, path, edit.kind):
            self.reverse["looked back"] += 1
            old = self.reader.read(*past)
            if refusal(old) or self.fmt.normal(old["read"]) != self.fmt.normal(copy.deepcopy(self.before)):
                self.fault(edit.kind, sample, f"history changed: {refusal(old) or difference(self.before, old['read'])}", edit.args)
        if self.lasting:
            self.last(sample, edit, wanted, path)

    def last(self, sample, edit, wanted, path):
        """what we saved is still the same when the software has worked on it: saved it again, consolidated, evolved."""
        self.reverse["worked on"] += 1
        again = self.reader.read(*self.fmt.work(path))
        if refusal(again):
            self.fault(edit.kind, sample, f"the software fails to work on it: {refusal(again)}", edit.args)
        elif self.fmt.normal(again["read"]) != wanted:
            self.fault(edit.kind, sample, f"other after the software's own work: {difference(wanted, self.fmt.normal(again['read']))}", edit.args)

    def mutant(self, sample):
        """one byte of one file set to another value, or cut there."""
        path = self.copy(sample)
        files = [os.path.join(d, f) for d, _, fs in os.walk(path) for f in fs] if os.path.isdir(path) else [path]
        file = self.random.choice(sorted(f for f in files if os.path.getsize(f)))
        with open(file, "r+b") as f:
            at = self.random.randrange(os.path.getsize(file))
            f.seek(at)
            old = f.read(1)[0]
            f.seek(at)
            new = self.random.choice([old ^ 1, old ^ 0x80, 0, 255, self.random.randrange(256)])
            f.write(bytes([new]))
        if new != old:
            self.agree(f"mutant {os.path.relpath(file, path)}@{at}:={new:02x}", sample, path, self.reader.read(*self.fmt.request(path)))


def damaged(kind, sample):
    """whether a file is damaged on purpose: only then may it be no fault that the software does not look at what a rule is about."""
    return kind.startswith(("set of another field", "mutant")) or any(fnmatch.fnmatch(short(sample), p) for p in ("bad/*", "broken/*", "*/bad-*", "*/broken-*", "taridx/x*"))


def split(args):
    """the commands of an edit."""
    out = [[]]
    for a in args:
        out.append([]) if a == ";" else out[-1].append(a)
    return out


class Any:
    """equals everything: what an edit may change in ways that are not asked about."""

    def __eq__(self, other):
        return True

    def __repr__(self):
        return "anything"


def refusal(answer):
    """why the software refuses a file, wholly or of one of its parts; "" where it reads all."""
    if "error" in answer:
        return answer["error"]
    text = json.dumps(answer)
    found = re.search(r'\{"error": ("(?:[^"\\]|\\.)*")', text) if '"error"' in text else None
    return json.loads(found.group(1)) if found else ""


def difference(wanted, got, at=""):
    """where two readings differ first."""
    if isinstance(wanted, dict) and isinstance(got, dict):
        for k in [*wanted, *(k for k in got if k not in wanted)]:
            if k not in wanted or k not in got:
                return f"{at}/{k}: {'missing' if k in wanted else 'not expected'}"
            if wanted[k] != got[k]:
                return difference(wanted[k], got[k], f"{at}/{k}")
    if isinstance(wanted, list) and isinstance(got, list) and len(wanted) == len(got):
        for i, (w, g) in enumerate(zip(wanted, got)):
            if w != g:
                return difference(w, g, f"{at}[{i}]")
    return f"{at}: wanted {json.dumps(wanted, default=repr)[:120]}, got {json.dumps(got)[:120]}"


def grouped(faults):
    """faults that differ in numbers and names alone, the most frequent first."""
    groups = {}
    for f in faults:
        where, what = f.rsplit(" – ", 1)
        key = where.split(" ")[1] + re.sub(r"=.*", "", leaves.kind(where.split("PATH ")[-1])) + re.sub(r"\d+|'[^']*'", "N", what)[:100]
        groups.setdefault(key, []).append(f)
    return sorted(groups.values(), key=len, reverse=True)


def short(path):
    return "/".join(path.split(os.sep)[-2:])


def load_exceptions():
    """exceptions.txt: a pattern of a fault's line, or a rule that the software does not look at, a tab, and why it is no fault."""
    out = {}
    with open(os.path.join(HERE, "exceptions.txt"), encoding="utf-8") as f:
        for line in f:
            if line.strip() and not line.startswith("#"):
                pattern, why = line.rstrip("\n").split("\t")
                out[pattern] = why
    return out


def report(runs):
    wide = max((len(k) for r in runs for k in r.table), default=10)
    for r in runs:
        print(f"\n{r.fmt.NAME}: {r.reader.software}")
        print(f"{'kind':{wide}} {'tried':>7} {'refused':>7} {'rightly':>7} {'saved':>7} {'forced':>7} {'opened':>7} {'exact':>7}")
        total = collections.Counter()
        for kind, c in r.table.items():
            print(f"{kind:{wide}} {c['tried']:7} {c['refused']:7} {c['rightly']:7} {c['saved']:7} {c['forced']:7} {c['opened']:7} {c['agreed'] and '–' or c['exact']:>7}")
            if not c["agreed"]:
                total += c
        print(f"{'all with a meant change':{wide}} {total['tried']:7} {total['refused']:7} {total['rightly']:7} {total['saved']:7} {total['forced']:7} {total['opened']:7} {total['exact']:7}")
        v = r.reverse
        print(f"check against the software: {v['cases']} cases, {v['refused']} refused, {v['read']} read, {v['read with error']} of these with an error; "
              f"{v['worked on']} saves kept through its own work; {v['only read']} too long to be edited; {v['listed']} differences are listed in exceptions.txt")
        for alike in grouped(r.faults):
            print(f"  FAULT {len(alike)} × {alike[0]}")


def main():
    import formats  # here, because the formats need Edit of this module
    p = argparse.ArgumentParser()
    p.add_argument("--spandrel", required=True, help="the binary")
    p.add_argument("--quick", action="store_true", help="only what we save: the formats that need wheels alone, our own samples, one edit with a meaning a kind and sample")
    p.add_argument("--only", action="append", help="a format")
    p.add_argument("--kind", default="", help="edits whose kind contains this")
    p.add_argument("--sample", help="samples whose path contains this")
    p.add_argument("--each", type=int, default=3, help="edits of a kind of field in a sample")
    p.add_argument("--mutants", type=int, default=0, help="damaged copies of each sample")
    p.add_argument("--seconds", type=int, default=0, help="stop after so many seconds; 0: never")
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--verbose", action="store_true", help="the words with which edits are refused")
    options = p.parse_args()
    if options.quick:
        options.each, options.seconds = 1, options.seconds or 45
    global EXCEPTIONS
    EXCEPTIONS = load_exceptions()
    runs = []
    for fmt in formats.ALL:
        if options.only and fmt.NAME not in options.only or options.quick and not fmt.QUICK:
            continue
        try:
            reader = Reader(fmt.reader())
            reader.start()
        except environment.Skip as why:
            print(f"{fmt.NAME} skipped: {why}")
            continue
        run = Run(fmt, options.spandrel, reader, options)
        samples = fmt.samples(None if options.quick else os.environ.get("SPANDREL_CORPUS"))
        if options.seconds:
            run.random.shuffle(samples)  # what there is time for is of every kind
        for sample in samples:
            if options.sample and options.sample not in sample:
                continue
            try:
                run.sample(sample)
            except Exception as e:
                run.fault("driver", sample, f"{type(e).__name__}: {e}")
                if options.verbose:
                    traceback.print_exc()
            if run.late():
                print(f"{fmt.NAME}: stopped after {options.seconds} seconds, at {short(sample)}")
                break
        shutil.rmtree(run.work)
        runs.append(run)
    report(runs)
    return any([r.faults for r in runs] + [tables(r.fmt, options) for r in runs] + [verdicts(options)])


def verdicts(options):
    """what check --for says of readers of damaged files, held against what they do: whether some differ."""
    try:
        python = environment.venv()
    except environment.Skip as why:
        print(f"readers skipped: {why}")
        return False
    if options.only or options.sample or options.kind:
        return False
    each = 30 if options.quick else 100 * options.each
    done = subprocess.run([python, os.path.join(HERE, "readers.py"), "--spandrel", options.spandrel, "--each", str(each), "--seed", str(options.seed),
                           *["--quick"] * options.quick],
                          stdout=subprocess.PIPE, text=True)
    print("\n" + done.stdout.rstrip())
    return done.returncode


def tables(fmt, options):
    """whole tables of a format, held against what its software reads: whether some differ."""
    if not hasattr(fmt, "tables"):
        return False
    made = 10 if options.quick else 20 * options.each
    more = [] if options.quick else [os.environ.get("SPANDREL_CORPUS") or "", os.path.join(environment.ROOT, "testdata", fmt.NAME)]
    done = subprocess.run([*fmt.tables(), "--spandrel", options.spandrel, "--made", str(made), "--seed", str(options.seed), *filter(None, more)], stdout=subprocess.PIPE, text=True)
    print("\n" + done.stdout.rstrip())
    return done.returncode


EXCEPTIONS = {}

if __name__ == "__main__":
    sys.exit(main())
