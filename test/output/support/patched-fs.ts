import sync from 'node:fs';
import fs from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { onTestFinished } from 'vitest';

type Name = 'lstat' | 'open' | 'rename';

/** For this test, runs `before` ahead of each call of a function of node:fs/promises. If `before` throws, so does the call. */
export function patched(name: Name, before: (...args: unknown[]) => void): void {
  const real = fs[name] as (...args: unknown[]) => Promise<unknown>;
  const set = (value: unknown) => {
    Object.assign(fs, { [name]: value });
    syncBuiltinESMExports();
  };
  set(async (...args: unknown[]) => {
    before(...args);
    return real(...args);
  });
  onTestFinished(() => set(real));
}

/** The same for the synchronous write to an open file. */
export function patchedWrite(before: (data: Uint8Array) => void): void {
  const real = sync.writeSync;
  const set = (value: unknown) => {
    Object.assign(sync, { writeSync: value });
    syncBuiltinESMExports();
  };
  set((file: number, data: Uint8Array, at: number) => {
    before(data);
    return real(file, data, at);
  });
  onTestFinished(() => set(real));
}

/** The same for a method of open files. */
export async function patchedHandle(name: 'sync', before: (...args: unknown[]) => void): Promise<void> {
  const probe = await fs.open('/dev/null');
  const handle = Object.getPrototypeOf(probe);
  await probe.close();
  const real = handle[name];
  handle[name] = async function (this: unknown, ...args: unknown[]) {
    before(...args);
    return real.apply(this, args);
  };
  onTestFinished(() => void Object.assign(handle, { [name]: real }));
}

/** Throws an error like those of the file system. */
export function fail(code: string): never {
  throw Object.assign(new Error(`${code}: injected`), { code });
}
