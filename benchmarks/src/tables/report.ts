import { describeCalibration } from '../measure/calibration.ts';
import type { Calibration } from '../measure/calibration.ts';
import type { Result } from '../results.ts';
import { formatTable } from './table.ts';
import type { Column } from './table.ts';

/** A table that was measured, and the machine just before. */
export interface MeasuredTable extends Calibration {
  readonly title: string;
}

/** The tables of a run, as they come. */
export class Report {
  readonly results: Result[] = [];
  readonly tables: MeasuredTable[] = [];
  readonly #calibrate: () => Promise<Calibration>;
  readonly #print: (text: string) => void;

  constructor(calibrate: () => Promise<Calibration>, print: (text: string) => void) {
    this.#calibrate = calibrate;
    this.#print = print;
  }

  /**
   * Looks at the machine, measures, prints the table with the first failure of each subject, and
   * keeps the figures. A title may tell what was found.
   */
  async table(
    title: string | ((results: readonly Result[]) => string),
    columns: readonly Column[],
    measure: () => Promise<readonly Result[]> | readonly Result[],
  ): Promise<readonly Result[]> {
    const calibration = await this.#calibrate();
    const results = await measure();
    const name = typeof title === 'string' ? title : title(results);
    this.#print(formatTable(`${name}\n${describeCalibration(calibration)}`, columns, results));
    for (const { subject, failures, firstFailure } of results) {
      if (firstFailure !== undefined) this.#print(`${subject} failed ${failures} times, first with: ${firstFailure}`);
    }
    this.tables.push({ title: name, ...calibration });
    this.results.push(...results);
    return results;
  }
}
