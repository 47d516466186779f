// The same once more, in a second context of the same process.
import { guest } from './guest.mjs';

guest();
