// Package askpath asks for a file or a folder with the system's dialog. The library for other dialogs cannot tell GTK in which
// folder to start a folder dialog, what a dialog is for, or that file names may have no extension.
package askpath

/*
#cgo pkg-config: gtk+-3.0
#include <gtk/gtk.h>
#include <stdlib.h>

static void colours(int dark)
{
	if (gtk_init_check(NULL, NULL))
		g_object_set(gtk_settings_get_default(), "gtk-application-prefer-dark-theme", dark, NULL);
}

static GtkWidget *dialog(char *title, char *start, int folder)
{
	GtkWidget *d = gtk_file_chooser_dialog_new(title, NULL, folder ? GTK_FILE_CHOOSER_ACTION_SELECT_FOLDER : GTK_FILE_CHOOSER_ACTION_OPEN,
		"Cancel", GTK_RESPONSE_CANCEL, "Open", GTK_RESPONSE_ACCEPT, NULL);
	gtk_dialog_set_default_response(GTK_DIALOG(d), GTK_RESPONSE_ACCEPT);
	gtk_file_chooser_set_current_folder(GTK_FILE_CHOOSER(d), start);
	return d;
}

static GtkFileFilter *kind(GtkWidget *d, char *name)
{
	GtkFileFilter *f = gtk_file_filter_new();
	gtk_file_filter_set_name(f, name);
	gtk_file_chooser_add_filter(GTK_FILE_CHOOSER(d), f);
	return f;
}

static char *choose(GtkWidget *d)
{
	char *path = NULL;
	if (gtk_dialog_run(GTK_DIALOG(d)) == GTK_RESPONSE_ACCEPT)
		path = gtk_file_chooser_get_filename(GTK_FILE_CHOOSER(d));
	gtk_widget_destroy(d);
	while (gtk_events_pending()) // no one else takes it off the screen
		gtk_main_iteration();
	return path;
}
*/
import "C"

import (
	"errors"
	"strings"
	"unsafe"

	"github.com/sqweek/dialog"
)

// Colours makes dialogs dark or light from now on, those of the library as well.
func Colours(dark bool) { C.colours(truth[dark]) }

// truth is how C says it.
var truth = map[bool]C.int{true: 1}

// Folder returns the folder chosen in a dialog that starts in a folder, or dialog.ErrCancelled.
func Folder(start, title string) (string, error) { return ask(start, title, true, nil) }

// File returns the file chosen in a dialog that starts in a folder and lists the files of a kind, the first one unless
// the user picks another; or dialog.ErrCancelled.
func File(start, title string, kinds []Kind) (string, error) { return ask(start, title, false, kinds) }

func ask(start, title string, folder bool, kinds []Kind) (string, error) {
	if C.gtk_init_check(nil, nil) == 0 {
		return "", errors.New("there is no display")
	}
	var texts []unsafe.Pointer
	defer func() {
		for _, t := range texts {
			C.free(t)
		}
	}()
	text := func(s string) *C.char {
		t := C.CString(s)
		texts = append(texts, unsafe.Pointer(t))
		return t
	}
	d := C.dialog(text(title), text(start), truth[folder])
	for _, k := range kinds {
		f := C.kind(d, text(k.Label()))
		for _, p := range k.patterns() {
			C.gtk_file_filter_add_pattern(f, (*C.gchar)(text(p)))
		}
	}
	path := C.choose(d)
	if path == nil {
		return "", dialog.ErrCancelled
	}
	defer C.g_free(C.gpointer(path))
	return C.GoString(path), nil
}

// patterns are the name patterns of the files of a kind; the case of extensions does not matter.
func (k Kind) patterns() []string {
	if len(k.Exts) == 0 {
		return []string{"*"}
	}
	var out []string
	for _, e := range k.Exts {
		out = append(out, "*."+e, "*."+strings.ToUpper(e))
	}
	return out
}
