/**
 * A task's id in the rows. AgentEnv's ids of a bundle in a folder hold that folder's path on the serving machine
 * (`@local/srv/envs/gridsim-v1/day-1`), which would make rows differ from machine to machine: the bundle and the task
 * are kept. Split, index and the last segment are what the bridge knows a task by.
 */
export function rowId(id: string, fullIds: boolean): string {
  if (fullIds || !id.startsWith('@local/')) return id;
  const task = id.lastIndexOf('/');
  const bundle = id.lastIndexOf('/', task - 1);
  return bundle <= '@local'.length ? id : `@local${id.slice(bundle)}`;
}
