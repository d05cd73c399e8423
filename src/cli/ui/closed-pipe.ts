/** `gymgen … | head` closes the pipe early, and a terminal may close (EIO): neither is a failure. Other errors are thrown. */
export function mayClose(stream: NodeJS.WriteStream): void {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE' && error.code !== 'EIO') throw error;
  });
}
