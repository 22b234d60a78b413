package headless

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// manual is the command that prints the manual page, made from the same commands and flags as the help.
func manual(root *cobra.Command, version string) *cobra.Command {
	out := &cobra.Command{Use: "man", Short: "prints the manual page", Example: "spandrel man > spandrel.1", Args: cobra.NoArgs}
	out.RunE = func(cmd *cobra.Command, _ []string) error {
		var b strings.Builder
		fmt.Fprintf(&b, ".TH SPANDREL 1 \"\" \"spandrel %s\" \"User Commands\"\n", troff(version))
		fmt.Fprintf(&b, ".SH NAME\nspandrel \\- see, check, repair and edit binary data files of machine-learning tools\n")
		b.WriteString(".SH SYNOPSIS\n.B spandrel\n[\\fB\\-\\-new\\-window\\fR] [\\fIPATH\\fR ...]\n.br\n" +
			".B spandrel\n\\fICOMMAND\\fR [\\fIFLAG\\fR ...] [\\fIARGUMENT\\fR ...]\n")
		about, statuses, _ := strings.Cut(root.Long, "\n\n")
		fmt.Fprintf(&b, ".SH DESCRIPTION\n%s\n.PP\nWithout a command, each PATH is opened in a window.\n.SH COMMANDS\n", troff(about))
		for _, cmd := range root.Commands() {
			if !cmd.Hidden && cmd.Name() != "help" {
				section(&b, cmd)
			}
		}
		fmt.Fprintf(&b, ".SH \"EXIT STATUS\"\n%s\n", troff(statuses))
		fmt.Fprintf(&b, ".SH ENVIRONMENT\n.TP\n.B NO_COLOR\nDisables colours.\n")
		_, err := cmd.OutOrStdout().Write([]byte(b.String()))
		return err
	}
	return out
}

// section is the section about one command.
func section(b *strings.Builder, cmd *cobra.Command) {
	fmt.Fprintf(b, ".SS spandrel %s\n%s.\n", troff(cmd.Use), troff(strings.ToUpper(cmd.Short[:1])+cmd.Short[1:]))
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		name := "--" + f.Name
		if f.Hidden {
			return
		}
		if f.Shorthand != "" {
			name = "-" + f.Shorthand + ", " + name
		}
		kind, usage := pflag.UnquoteUsage(f)
		fmt.Fprintf(b, ".TP\n\\fB%s\\fR", troff(name))
		if kind != "" {
			fmt.Fprintf(b, " \\fI%s\\fR", troff(kind))
		}
		fmt.Fprintf(b, "\n%s\n", troff(usage))
	})
	if cmd.Example != "" {
		fmt.Fprintf(b, ".PP\n.nf\n%s\n.fi\n", troff(cmd.Example))
	}
}

// troff is text escaped for troff.
func troff(s string) string {
	s = strings.NewReplacer(`\`, `\e`, "-", `\-`, "…", "...").Replace(s)
	lines := strings.Split(s, "\n")
	for i, l := range lines {
		if strings.HasPrefix(l, ".") || strings.HasPrefix(l, "'") {
			lines[i] = `\&` + l
		}
	}
	return strings.Join(lines, "\n")
}
