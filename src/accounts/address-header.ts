/** Where the client's address is put for better-auth: on a request that we make anew, so that no client can set it. */
export const ADDRESS_HEADER = "x-plantstore-client-address";
