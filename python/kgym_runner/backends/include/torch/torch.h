// Shadows torch's umbrella header of this name while the lean headers are tried.
#include <kgym_lean_extension.h>
