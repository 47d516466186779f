'use strict';

module.exports = require('./eval/kit.js');
