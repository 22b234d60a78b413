; The installer for Windows: for the user who runs it, without an administrator, and taking no default from another program.
; makensis -DVERSION=1.2.3 -DDIST=folder/of/the/programs installer.nsi
Target amd64-unicode ; as the programs are
!include MUI2.nsh

!define KEY "Software\Microsoft\Windows\CurrentVersion\Uninstall\Spandrel"

Name "Spandrel"
OutFile "${DIST}/spandrel-${VERSION}-windows-amd64-setup.exe"
RequestExecutionLevel user
SetCompressor /SOLID lzma
InstallDir "$LOCALAPPDATA\Programs\Spandrel"
InstallDirRegKey HKCU "${KEY}" "InstallLocation"
VIProductVersion "${VERSION}.0"
VIAddVersionKey "ProductName" "Spandrel"
VIAddVersionKey "CompanyName" "The Spandrel authors"
VIAddVersionKey "FileDescription" "Installs Spandrel"
VIAddVersionKey "FileVersion" "${VERSION}"
VIAddVersionKey "LegalCopyright" "2026 The Spandrel authors; Apache-2.0"

!define MUI_FINISHPAGE_RUN "$INSTDIR\spandrel.exe"
!insertmacro MUI_PAGE_DIRECTORY
!insertmacro MUI_PAGE_INSTFILES
!insertmacro MUI_PAGE_FINISH
!insertmacro MUI_UNPAGE_CONFIRM
!insertmacro MUI_UNPAGE_INSTFILES
!insertmacro MUI_LANGUAGE "English"

Section
  SetOutPath "$INSTDIR"
  File "${DIST}/spandrel.exe"
  File "${DIST}/spandrel-headless.exe"
  File "../../README.md"
  File "../../LICENSE"
  File "../../NOTICE"
  File "../../docs/third-party.txt"
  WriteUninstaller "$INSTDIR\uninstall.exe"
  CreateShortcut "$SMPROGRAMS\Spandrel.lnk" "$INSTDIR\spandrel.exe"
  WriteRegStr HKCU "${KEY}" "DisplayName" "Spandrel"
  WriteRegStr HKCU "${KEY}" "DisplayVersion" "${VERSION}"
  WriteRegStr HKCU "${KEY}" "DisplayIcon" "$INSTDIR\spandrel.exe"
  WriteRegStr HKCU "${KEY}" "Publisher" "The Spandrel authors"
  WriteRegStr HKCU "${KEY}" "InstallLocation" "$INSTDIR"
  WriteRegStr HKCU "${KEY}" "UninstallString" '"$INSTDIR\uninstall.exe"'
  WriteRegStr HKCU "${KEY}" "QuietUninstallString" '"$INSTDIR\uninstall.exe" /S'
  WriteRegDWORD HKCU "${KEY}" "NoModify" 1
  WriteRegDWORD HKCU "${KEY}" "NoRepair" 1
  nsExec::ExecToLog '"$INSTDIR\spandrel.exe" register' ; the types of files, beside what opens them today
SectionEnd

; What the program keeps of files that were not saved stays.
Section "Uninstall"
  nsExec::ExecToLog '"$INSTDIR\spandrel.exe" unregister'
  Delete "$SMPROGRAMS\Spandrel.lnk"
  Delete "$INSTDIR\spandrel.exe"
  Delete "$INSTDIR\spandrel-headless.exe"
  Delete "$INSTDIR\README.md"
  Delete "$INSTDIR\LICENSE"
  Delete "$INSTDIR\NOTICE"
  Delete "$INSTDIR\third-party.txt"
  Delete "$INSTDIR\uninstall.exe"
  RMDir "$INSTDIR"
  DeleteRegKey HKCU "${KEY}"
SectionEnd
