package kit

import (
	"fmt"
	"strings"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"spandrel/model"
)

// Messages is the message line: what is running, with a stop button, what the button under the pointer does, or the last message.
type Messages struct {
	h       *Host
	Running *widget.Label
	Cancel  *Button
	Said    string // the last message
	Tip     string // of the button below the pointer
	Changed func() // the line is to be laid out again
}

// NewMessages makes the line of messages of a host.
func NewMessages(h *Host) *Messages {
	s := &Messages{h: h, Running: widget.NewLabel(""), Changed: func() {}}
	s.Cancel = NewTool(h, theme.CancelIcon(), "stop the current work", s.stop)
	s.Cancel.Hide()
	s.Running.Truncation, s.Running.Alignment = fyne.TextTruncateEllipsis, fyne.TextAlignTrailing // a long message must not widen the window
	return s
}

// stop ends what is running; of several jobs it asks which.
func (s *Messages) stop() {
	all := s.h.Jobs.Running()
	if len(all) == 1 {
		all[0].Cancel()
		return
	}
	if menu, c := StopMenu(all), fyne.CurrentApp().Driver().CanvasForObject(s.Cancel); c != nil {
		at := fyne.CurrentApp().Driver().AbsolutePositionForObject(s.Cancel)
		widget.ShowPopUpMenuAtPosition(menu, c, at.SubtractXY(0, widget.NewPopUpMenu(menu, c).MinSize().Height))
	}
}

// StopMenu stops one of several jobs, or all.
func StopMenu(all []model.Running) *fyne.Menu {
	m := fyne.NewMenu("")
	for _, r := range all {
		m.Items = append(m.Items, fyne.NewMenuItemWithIcon("Stop: "+InWidget(r.Title), theme.CancelIcon(), r.Cancel))
	}
	m.Items = append(m.Items, fyne.NewMenuItemSeparator(), fyne.NewMenuItem("Stop all", func() {
		for _, r := range all {
			r.Cancel()
		}
	}))
	return m
}

// SaidFor is how long a message stays.
const SaidFor = 15 * time.Second

// say shows a message for a while, or until something runs. It replaces the hint of a button that was pressed.
func (s *Messages) say(text string) {
	s.Said, s.Tip = text, ""
	s.Running.SetText(Sentence(text))
	time.AfterFunc(SaidFor, func() {
		s.h.Post(func() {
			if s.Said == text {
				s.Said = ""
				s.jobsChanged()
			}
		})
	})
}

// outdated removes a message with such a beginning, because it is no longer true.
func (s *Messages) outdated(begin string) {
	if strings.HasPrefix(s.Said, begin) {
		s.Said = ""
		s.jobsChanged()
	}
}

// hint describes the button under the pointer; "" removes it.
func (s *Messages) hint(text string) {
	s.Tip = text
	s.jobsChanged()
}

// jobsChanged shows what is running. It is called often, so it only sets what has changed.
func (s *Messages) jobsChanged() {
	text := ""
	if all := s.h.Jobs.Running(); len(all) > 0 {
		if text = InWidget(all[0].Title); all[0].Done < all[0].Total {
			text += fmt.Sprintf("  %d %%", 100*all[0].Done/all[0].Total)
		}
		if len(all) > 1 {
			text += fmt.Sprintf("  and %d more", len(all)-1)
		}
	}
	job := text != ""
	if !job && s.Tip == s.Cancel.Tip { // the button goes away below the pointer
		s.Tip = ""
		s.h.Bubble.hide()
	}
	if s.Tip != "" {
		text = s.Tip
	} else if text == "" {
		text = Sentence(s.Said)
	}
	if text != s.Running.Text || s.Cancel.Hidden == job {
		s.Running.SetText(text)
		s.Cancel.Hidden = !job
		s.Changed()
	}
}
