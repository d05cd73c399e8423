/** What a run tells the user while it goes on. */
export interface Reporter {
  /** Something good to know. */
  note?(text: string): void;
  /** Something that the user should know and may have to act on. */
  warn(text: string): void;
  /** Something that takes a while: the newest replaces the one before. */
  progress(text: string): void;
}
