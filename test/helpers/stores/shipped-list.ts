/** Address of the list of the store modules that ship. */
export const shippedList: string = new URL('../../../plugins/stores.ts', import.meta.url).href;
