'use strict';

const { checkSchema } = require('./check-schema.js');
const { Intent } = require('./intent.js');
const { followUp, openQuestions } = require('./follow-up.js');
const { IntentError, IntentDataError } = require('./errors.js');
const {
  ACTIONS,
  STATUSES,
  DEFAULT_LIMITS,
  ERROR_CODES,
  DATA_ISSUE_CODES,
} = require('./constants.js');

exports.Intent = Intent;
exports.followUp = followUp;
exports.openQuestions = openQuestions;
exports.checkSchema = checkSchema;
exports.IntentError = IntentError;
exports.IntentParseError = IntentError;
exports.IntentDataError = IntentDataError;
exports.ACTIONS = ACTIONS;
exports.STATUSES = STATUSES;
exports.DEFAULT_LIMITS = DEFAULT_LIMITS;
exports.ERROR_CODES = ERROR_CODES;
exports.DATA_ISSUE_CODES = DATA_ISSUE_CODES;
