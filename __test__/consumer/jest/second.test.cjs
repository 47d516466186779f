require('./guest.cjs')();
