"""What the makers of the zoo have in common."""
import math

import numpy as np

SCRIPTS = ["abcdefghij", "ABCXYZ0189", "äöüßéñ", "ЖшяЩ", "語漢字名前", "한국어", "שלום", "مرحبا", "ไทย", "🙂🧬", "_-+ .", "=,;'\"()[]{}"]


def name(rnd, most, slashes=False, script=None):
    """a name in one or two scripts; never empty, and never one that leads elsewhere."""
    out = ""
    while not out.strip(". /"):
        letters = "".join(rnd.sample(script or SCRIPTS, 1 if script else rnd.choice((1, 1, 2)))) + ("/" if slashes and rnd.random() < 0.2 else "")
        out = "".join(rnd.choice(letters) for _ in range(rnd.randint(1, most))).strip("/ .")
        if "//" in out or "/." in out:
            out = ""
    return out


def cell(v):
    """a value as `table --to jsonl` prints it; None is not compared."""
    if isinstance(v, (bool, np.bool_)):
        return bool(v)
    if isinstance(v, (int, np.integer)) and not isinstance(v, (np.timedelta64,)):
        return int(v)
    if isinstance(v, (float, np.floating)):
        if isinstance(v, np.longdouble):
            return None
        f = float(v)
        return f if math.isfinite(f) else {math.inf: "+Inf", -math.inf: "-Inf"}.get(f, "NaN")
    if isinstance(v, (str, np.str_)):
        return str(v)
    return None
