import type { ConfigParts, Place, SettingBlock } from '../config-settings.js';
import { UserError } from '../errors.js';
import { configFile, namesOf, settingMaps } from '../gym/index.js';
import { LIMITS } from '../limits.js';
import type { OutputFile, TextFile } from '../model.js';
import { MAX_CONCURRENT_ENVS, type SettingKey, type Settings } from '../settings.js';

/** Puts the settings of an existing config into the generated one, with the user's spelling and comments. */
export class KeptSettings {
  /**
   * @param existing text of the existing config; undefined if there is none
   * @param passed settings that replace those of the config
   */
  constructor(
    private readonly name: string,
    private readonly existing: string | undefined,
    private readonly passed: Settings,
  ) {}

  async *restore(files: AsyncIterable<OutputFile>): AsyncGenerator<OutputFile> {
    const { config } = namesOf(this.name);
    for await (const file of files) {
      const isConfig = this.existing !== undefined && file.path === config && 'content' in file;
      yield isConfig ? await this.merge(file, this.existing as string) : file;
    }
  }

  private async merge(file: TextFile, existing: string): Promise<TextFile> {
    const { configParts } = await import('../config-settings.js');
    const parse = (text: string) => configParts(text, settingMaps(this.name), file.path);
    const [before, generated] = [parse(existing), parse(file.content)];
    if (before === undefined || generated === undefined) return file;
    const blocks = [...before.blocks.filter((block) => !this.isReplaced(block)), ...this.added(before, generated)];
    const content = assembled(generated, blocks);
    if (Buffer.byteLength(content) > LIMITS.configBytes) return file;
    if (
      !hasBlocks(
        orInvalid(() => parse(content)),
        blocks,
      )
    )
      return unmovable(file, this.name);
    return configFile(content, this.name, file.content);
  }

  private isReplaced({ key, value }: SettingBlock): boolean {
    const passed = this.passed[key];
    return passed !== undefined && passed !== value && passed !== numberIn(value);
  }

  /** Generated settings that the existing config lacks. A default that the user removed stays removed. */
  private added(before: ConfigParts, generated: ConfigParts): SettingBlock[] {
    const kept = new Set(before.blocks.filter((block) => !this.isReplaced(block)).map(({ key }) => key));
    const isDefault = ({ key, value }: SettingBlock) =>
      key === 'max_concurrent_envs' && value === MAX_CONCURRENT_ENVS && this.passed[key] === undefined;
    return generated.blocks.filter((block) => !kept.has(block.key) && !isDefault(block));
  }
}

/** The number in a value, which may be quoted: OmegaConf and pydantic read both. */
export function numberIn(value: unknown): unknown {
  return typeof value === 'string' && /^[-+]?[0-9.]+(?:e[-+]?[0-9]+)?$/i.test(value) ? Number(value) : value;
}

function assembled({ rest, slots }: ConfigParts, blocks: readonly SettingBlock[]): string {
  const lines = [...rest];
  const places = (Object.entries(slots) as [Place, { at: number; indent: number }][]).sort(
    ([, a], [, b]) => b.at - a.at,
  );
  for (const [place, { at, indent }] of places) {
    const own = blocks.filter((block) => block.place === place);
    lines.splice(at, 0, ...own.flatMap((block) => indented(block, indent)));
  }
  return lines.join('\n');
}

/** The lines of a setting, moved so that its key begins at a column. */
function indented({ key, lines }: SettingBlock, indent: number): string[] {
  const keyLine = lines.find((line) => !/^\s*#/.test(line) && line.includes(key)) ?? '';
  const more = indent - keyLine.search(/\S|$/);
  if (more >= 0) return lines.map((line) => (line === '' ? line : `${' '.repeat(more)}${line}`));
  return lines.map((line) => (/^ *$/.test(line.slice(0, -more)) ? line.slice(-more) : line.trimStart()));
}

/** A setting that refers to an anchor outside of it, for example, cannot be moved. */
function orInvalid(parse: () => ConfigParts | undefined): ConfigParts | undefined {
  try {
    return parse();
  } catch (error) {
    if (error instanceof UserError) return undefined;
    throw error;
  }
}

function hasBlocks(parts: ConfigParts | undefined, blocks: readonly SettingBlock[]): boolean {
  const found = new Map<SettingKey, unknown>(parts?.blocks.map(({ key, value }) => [key, value]));
  return found.size === blocks.length && blocks.every(({ key, value }) => isSameScalar(found.get(key), value));
}

function isSameScalar(one: unknown, other: unknown): boolean {
  return Object.is(one, other) || JSON.stringify(one) === JSON.stringify(other);
}

/** A generated config that replaces no existing one with settings: these count as edits. */
function unmovable({ path, content, settings }: TextFile, name: string): TextFile {
  const { rest, isSame } = settings ?? configFile(content, name).settings;
  return { path, content, settings: { rest, isSame, restOf: async (existing) => existing } };
}
