'use strict';

const { coreCandidate, dataCandidate } = require('./testing/candidates.js');
const { recordingExecutor, replayingExecutor } = require('./testing/recorded.js');
const { scriptedExecutor } = require('./testing/scripted.js');

module.exports = {
  coreCandidate,
  dataCandidate,
  scriptedExecutor,
  recordingExecutor,
  replayingExecutor,
};
