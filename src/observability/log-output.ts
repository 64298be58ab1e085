/**
 * Writes the lines of the log without ever waiting for their reader. While it does not read, a bounded number of lines
 * waits, and further ones are lost and counted.
 */
export class LogOutput {
  /** The length of the lines that wait. */
  #waiting = 0;
  #lostSince = 0;
  /** The number of lines lost so far. */
  lost = 0;

  /**
   * @param output standard output or standard error
   * @param onRecovered is told how many lines were lost, once the reader reads again
   */
  constructor(
    private readonly output: Pick<NodeJS.WriteStream, "write" | "on">,
    private readonly onRecovered: (lost: number) => void,
  ) {
    // A reader that has gone must not end the service.
    output.on("error", () => {});
  }

  write(line: string): void {
    if (this.#waiting > 1024 * 1024) {
      this.#lose();
      return;
    }
    this.#waiting += line.length;
    this.output.write(line, (error) => {
      this.#waiting -= line.length;
      if (error) this.#lose();
      else if (this.#lostSince > 0 && this.#waiting === 0) this.#recover();
    });
  }

  #lose(): void {
    this.lost++;
    this.#lostSince++;
  }

  #recover(): void {
    const lost = this.#lostSince;
    this.#lostSince = 0;
    this.onRecovered(lost);
  }
}
