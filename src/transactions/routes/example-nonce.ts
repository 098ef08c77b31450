/** The nonce of the examples of a login. */
export const exampleNonce = 'Log in to https://vaults.example, nonce 5f0c8a1b2d3e4f60718293a4b5c6d7e8';
