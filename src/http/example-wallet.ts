/** Whom the examples of requests are about; an address of the test network. */
export const exampleWallet = 'addr_test1vz2fxv2umyhttkxyxp8x0dlpdt3k6cwng5pxj3jhsydzerspjrlsz';
