export { CreateSource } from './create.ts';
export { OneDelivery } from './delivery.ts';
export { AllDeliveries, Sources } from './list.ts';
export { OneSource } from './one.ts';
