/** Names of devices, with any extension, in any case. */
const DEVICES = /^(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?:\.|$)/i;

/**
 * Why Windows cannot check out a file or folder of this name, or undefined. A Gym root is often a git repository.
 * @see https://learn.microsoft.com/en-us/windows/win32/fileio/naming-a-file
 */
export function windowsFault(name: string): string | undefined {
  if (DEVICES.test(name)) return 'is the name of a device on Windows';
  return /[. ]$/.test(name) ? 'ends with a dot or a blank, which Windows drops' : undefined;
}
