'use strict';
// The longest delay of a timer in a JavaScript host, in milliseconds; a timer with a longer one fires at once.

exports.MAX_TIMER_MS = 2147483647;
