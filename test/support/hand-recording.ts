/** The lines of a recording of two tasks with one toolset. A test may change each part. */
export interface HandRecording {
  header?: object;
  split?: string;
  task?: object;
  tool?: object;
  key?: string;
  ref?: object;
  /** Lines before the last one. */
  more?: string[];
}

/** The text of such a recording. */
export function handRecording({
  header,
  split = 'train',
  task,
  tool,
  key,
  ref,
  more = [],
}: HandRecording = {}): string {
  const turns = [[{ name: 'submit', description: 'Submits.', parameters: '{"type":"object"}', ...tool }]];
  const tasks = [0, 1].map((index) => {
    const own = { id: `grid/day-${index}`, prompt: `Day ${index}.`, systemPrompt: null };
    return { type: 'task', index, ...own, ...task, toolset: 0 };
  });
  const refs = [{ split, index: 0, id: tasks[0]?.id, ...ref }];
  const lines = [
    {
      type: 'gymgen-recording',
      format: 1,
      server: { url: 'http://127.0.0.1:9' },
      environment: 'grid-v1',
      splits: [{ name: split, count: 2 }],
      ...header,
    },
    { type: 'split', name: split },
    { type: 'toolset', toolset: 0, turns },
    ...tasks,
  ];
  const end = { type: 'end', tasks: 2, toolsets: [{ toolset: 0, key: key ?? 'agent:solver', tasks: refs, turns }] };
  return [...lines.map((line) => JSON.stringify(line)), ...more, JSON.stringify(end), ''].join('\n');
}
