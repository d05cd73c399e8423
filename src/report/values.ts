// Reads parts of untrusted JSON. A part of another type reads as missing.

export type JsonObject = Record<string, unknown>;

export function objectOf(value: unknown): JsonObject | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : undefined;
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

export function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

/** The objects of a list. */
export function objectsOf(value: unknown): JsonObject[] {
  return listOf(value).flatMap((item) => {
    const object = objectOf(item);
    return object ? [object] : [];
  });
}
