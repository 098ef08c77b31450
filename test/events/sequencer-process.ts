/** A process that only numbers events, for tests that kill it. Argument: the URL of the database. */
import { startSequencer } from '../../src/events/sequencer.ts';
import { createLogger } from '../../src/platform/observability/logger.ts';
import { openDatabase } from '../../src/platform/database/database.ts';

const logger = createLogger({ service: 'sequencer', level: 'silent' });
const db = openDatabase(process.argv[2] ?? '', () => undefined, 2);
startSequencer({ db, logger, intervalMs: 5 });
