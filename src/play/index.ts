export type { Model, NamedModel } from './find-model.js';
export { type Played, type PlayRequest, play, type ServeEnvironment } from './play.js';
export type { Call, Conversation, Move, Policy } from './policy.js';
export { policyOf } from './policy-file.js';
export { type ModelServer, modelServer } from './policy-server.js';
export { freePorts } from './ports.js';
