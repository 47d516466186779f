'use strict';
// Reads the list of models of a service.

const { isIP } = require('node:net');
const { IntentError } = require('../errors.js');

const MOST_BYTES = 4 << 20;

const failed = (why) =>
  new IntentError('MODEL_REQUEST_FAILED', {
    message: `The service was asked for its models, but ${why}. Name a model with --model.`,
  });

/** Over plain http the key is sent only to this machine and to private addresses, which were checked. */
const mayAsk = ({ protocol, hostname }) =>
  protocol === 'https:' || hostname === 'localhost' || isIP(hostname.replace(/^\[|\]$/g, '')) > 0;

const read = async (response) => {
  const chunks = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length;
    if (bytes > MOST_BYTES) throw failed('its list is too long');
    chunks.push(chunk);
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString());
  } catch {
    throw failed('its answer is not JSON');
  }
};

/** @returns {Promise<string[]>} */
exports.modelsOf = async ({ baseURL, apiKey, timeoutMs }) => {
  const url = new URL(`${baseURL.replace(/\/+$/, '')}/models`);
  if (!mayAsk(url)) throw failed('a host name is not asked over plain http');
  let response;
  try {
    response = await fetch(url, {
      redirect: 'error',
      signal: AbortSignal.timeout(timeoutMs),
      headers: apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` },
    });
  } catch {
    throw failed('it could not be reached');
  }
  if (!response.ok) {
    await response.body?.cancel();
    throw failed(`it answered HTTP ${response.status}`);
  }
  const { data } = (await read(response)) ?? {};
  return Array.isArray(data)
    ? data.map((one) => one?.id).filter((id) => typeof id === 'string' && id.isWellFormed())
    : [];
};
