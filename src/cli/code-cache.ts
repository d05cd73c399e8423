import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import v8 from 'node:v8';
import vm from 'node:vm';

/** Bytes of the SHA-256 ahead of an entry's code. */
const DIGEST = 32;
/** Bytes of an entry, at most. */
const MOST = 16 * 2 ** 20;

/**
 * Loads CommonJS files, and keeps what V8 compiled of them for the next run, as Python keeps its bytecode: an eighth of a
 * small write was compiling. Node does the same from 22.1 on, with `module.enableCompileCache`.
 */
export class CodeCache {
  /** V8 takes code back under the same version, flags and processor only, and doesn't know of the patches that Node adds to it. */
  private readonly tag = v8.cachedDataVersionTag();
  private readonly folder: string;
  private readonly modules = new Map<string, { exports: unknown }>();
  private readonly compiled: { script: vm.Script; source: Source; entry: string }[] = [];

  /** @param folder made when there is something to keep; what is in it can go at any time */
  constructor(folder: string) {
    this.folder = path.join(folder, [process.version, process.arch, this.tag.toString(16)].join('-'));
  }

  /** What a file exports, which is run when it is first asked for. What it requires by a relative path is loaded the same way. */
  load(file: string): unknown {
    const known = this.modules.get(file);
    if (known) return known.exports;
    const module = { exports: {} };
    this.modules.set(file, module);
    const require = createRequire(file);
    const load = (id: string) => (id.startsWith('.') ? this.load(path.resolve(file, '..', id)) : require(id));
    this.script(file).runInThisContext()(module.exports, load, file);
    return module.exports;
  }

  /** Keeps what this run compiled, unless V8's flags are others than at its begin: it would refuse that. Never throws. */
  save(): void {
    if (v8.cachedDataVersionTag() !== this.tag) return;
    for (const { script, source, entry } of this.compiled) {
      const code = script.createCachedData();
      keep(entry, Buffer.concat([digest(source, code), code]));
    }
  }

  private script(file: string): vm.Script {
    const text = readFileSync(file);
    const wrapped = `(function (exports, require, __filename) {${text}\n})`;
    if (v8.cachedDataVersionTag() !== this.tag) return new vm.Script(wrapped, { filename: file });
    const entry = path.join(this.folder, path.basename(file));
    const source = { file, text };
    const cachedData = read(entry, source);
    const script = new vm.Script(wrapped, { filename: file, ...(cachedData ? { cachedData } : {}) });
    if (!cachedData || script.cachedDataRejected) this.compiled.push({ script, source, entry });
    return script;
  }
}

/** What code is of; it holds the file's path too, for stacks. */
interface Source {
  file: string;
  text: Buffer;
}

/** An entry's code, if it is whole and of this source: V8 itself checks neither, and would crash. */
function read(entry: string, source: Source): Buffer | undefined {
  try {
    const stat = statSync(entry);
    if (!stat.isFile() || stat.size > MOST) return undefined;
    const kept = readFileSync(entry);
    const code = kept.subarray(DIGEST);
    return digest(source, code).equals(kept.subarray(0, DIGEST)) ? code : undefined;
  } catch {
    return undefined;
  }
}

/** Whole or not at all. Where it can't be kept, the next run compiles again. */
function keep(entry: string, data: Buffer): void {
  try {
    mkdirSync(path.dirname(entry), { recursive: true });
    const fresh = `${entry}.${process.pid}`;
    try {
      writeFileSync(fresh, data);
      renameSync(fresh, entry);
    } finally {
      rmSync(fresh, { force: true });
    }
  } catch {
    // no cache, then
  }
}

function digest({ file, text }: Source, code: Buffer): Buffer {
  return createHash('sha256').update(`${file}\0`).update(text).update(code).digest();
}
