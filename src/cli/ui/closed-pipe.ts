/** `gymgen … | head` ends the pipe early, which is no failure of ours; any other error of the stream is thrown. */
export function mayClose(stream: NodeJS.WriteStream): void {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
}
