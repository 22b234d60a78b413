// Go programs ask bcryptprimitives.dll for random bytes, which Wine has had only since version 8.5. This stands in for it, in tests alone.
#include <windows.h>
#include <ntsecapi.h>

__declspec(dllexport) BOOL WINAPI ProcessPrng(PBYTE buf, SIZE_T n)
{
	return RtlGenRandom(buf, (ULONG)n);
}
