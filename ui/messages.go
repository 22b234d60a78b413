package ui

import (
	"fmt"
	"strings"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"
)

// messages is what is said in one line: what runs, with a button that stops it, what the button below the pointer does, or the last message.
type messages struct {
	h       *Host
	running *widget.Label
	cancel  *keyButton
	said    string // the last message
	tip     string // of the button below the pointer
	changed func() // the line is to be laid out anew
}

func newMessages(h *Host) *messages {
	s := &messages{h: h, running: widget.NewLabel("")}
	s.cancel = newIconButton(h, "", theme.CancelIcon(), func() {
		for _, r := range h.jobs.Running() {
			r.Cancel()
		}
	})
	s.cancel.tip = "stop what is being done"
	s.cancel.Importance = widget.LowImportance
	s.cancel.Hide()
	s.running.Truncation, s.running.Alignment = fyne.TextTruncateEllipsis, fyne.TextAlignTrailing // a long message must not widen the window
	return s
}

// saidFor is how long a message stays.
const saidFor = 15 * time.Second

// say shows a message for a while, or until something runs. What the button does that was pressed is not said any more.
func (s *messages) say(text string) {
	s.said, s.tip = text, ""
	s.running.SetText(text)
	time.AfterFunc(saidFor, func() {
		s.h.post(func() {
			if s.said == text {
				s.said = ""
				s.jobsChanged()
			}
		})
	})
}

// outdated drops a message that begins so: it is not true any more.
func (s *messages) outdated(begin string) {
	if strings.HasPrefix(s.said, begin) {
		s.said = ""
		s.jobsChanged()
	}
}

// hint says what the button below the pointer does; "" ends it.
func (s *messages) hint(text string) {
	s.tip = text
	s.jobsChanged()
}

// jobsChanged shows what runs. It is called often, so it only sets what differs.
func (s *messages) jobsChanged() {
	text := ""
	if all := s.h.jobs.Running(); len(all) > 0 {
		if text = inWidget(all[0].Title); all[0].Total > 0 {
			text += fmt.Sprintf("  %d %%", 100*all[0].Done/all[0].Total)
		}
		if len(all) > 1 {
			text += fmt.Sprintf("  and %d more", len(all)-1)
		}
	}
	job := text != ""
	if !job && s.tip == s.cancel.tip { // the button goes away below the pointer
		s.tip = ""
		s.h.bubble.hide()
	}
	if s.tip != "" {
		text = s.tip
	} else if text == "" {
		text = s.said
	}
	if text != s.running.Text || s.cancel.Hidden == job {
		s.running.SetText(text)
		s.cancel.Hidden = !job
		s.changed()
	}
}
