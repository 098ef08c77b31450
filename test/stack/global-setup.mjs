/** Jest compiles a TypeScript setup file to CommonJS; from here Node loads it as it is. */
export { default } from './start-shared.ts';
