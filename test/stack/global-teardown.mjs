export { default } from './stop-shared.ts';
