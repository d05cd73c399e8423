import type { Inspection } from '../operations/inspect.js';
import type { InspectDocument } from './schemas/inspect.js';

export function inspectDocument({ notes, refused, warnings, ...rest }: Inspection): InspectDocument {
  return { ...rest, notes: [...notes], refused: [...refused], warnings: [...warnings] };
}
