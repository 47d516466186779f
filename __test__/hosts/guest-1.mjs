import { guest } from './guest.mjs';

guest();
