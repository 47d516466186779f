'use strict';
// The longest time that a timer of a JavaScript host takes; a longer one fires at once.

exports.MAX_TIMER_MS = 2147483647;
