// Package askfolder asks for a folder with the system's dialog. The library for the other dialogs does not tell GTK in which folder to
// begin, which then shows files that were used lately.
package askfolder

/*
#cgo pkg-config: gtk+-3.0
#include <gtk/gtk.h>
#include <stdlib.h>

static char *choose(char *title, char *start)
{
	GtkWidget *d = gtk_file_chooser_dialog_new(title, NULL, GTK_FILE_CHOOSER_ACTION_SELECT_FOLDER,
		"Cancel", GTK_RESPONSE_CANCEL, "Open", GTK_RESPONSE_ACCEPT, NULL);
	char *path = NULL;
	gtk_file_chooser_set_current_folder(GTK_FILE_CHOOSER(d), start);
	if (gtk_dialog_run(GTK_DIALOG(d)) == GTK_RESPONSE_ACCEPT)
		path = gtk_file_chooser_get_filename(GTK_FILE_CHOOSER(d));
	gtk_widget_destroy(d);
	while (gtk_events_pending()) // nobody else takes it off the screen
		gtk_main_iteration();
	return path;
}
*/
import "C"

import (
	"errors"
	"unsafe"

	"github.com/sqweek/dialog"
)

// From returns the folder that somebody chooses in a dialog that begins in a folder, or dialog.ErrCancelled.
func From(start, title string) (string, error) {
	if C.gtk_init_check(nil, nil) == 0 {
		return "", errors.New("there is no display")
	}
	t, s := C.CString(title), C.CString(start)
	defer C.free(unsafe.Pointer(t))
	defer C.free(unsafe.Pointer(s))
	path := C.choose(t, s)
	if path == nil {
		return "", dialog.ErrCancelled
	}
	defer C.g_free(C.gpointer(path))
	return C.GoString(path), nil
}
