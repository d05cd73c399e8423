/** Device names, with any extension, in any case. */
const DEVICES = /^(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?:\.|$)/i;

/**
 * Why Windows cannot check out a file or folder with this name, or undefined. Gym roots are often git repositories.
 * @see https://learn.microsoft.com/en-us/windows/win32/fileio/naming-a-file
 */
export function windowsFault(name: string): string | undefined {
  if (DEVICES.test(name)) return 'is a device name on Windows';
  return /[. ]$/.test(name) ? 'ends with a dot or a space, which Windows drops' : undefined;
}
