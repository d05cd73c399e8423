export { ALL_ROW_RULES } from './all.js';
export { DATASET_RULES, type DatasetFacts, ROW_TWICE } from './dataset.js';
export { rowErrors } from './errors.js';
export type { AgentFacts, LineFault, LiveSplit, LiveTasks, RowContext, RowFacts } from './facts.js';
export { type ParsedLine, parseRow, type RowLine } from './parse.js';
export { agentOf, hasNoTools, NO_TOOLS, TOOLS_MISSING } from './tools.js';
