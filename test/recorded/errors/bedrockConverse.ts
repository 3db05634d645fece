import {
  OURS,
  type RecordedError,
  THE_MODELS,
  callers,
  oversized,
  tooLong,
  limited,
} from './recordedError.ts'

/** Its answers name the kind of error in a header. */
function bedrock(
  status: number,
  exception: string,
  message: string,
): Pick<RecordedError, 'provider' | 'status' | 'headers' | 'body'> {
  return { provider: 'bedrock', status, headers: { 'x-amzn-errortype': exception }, body: { message } }
}

export const bedrockConverseErrors: readonly RecordedError[] = [
  {
    shape: 'an account that may not do anything, as a mistake in the request',
    source: 'langgenius/dify#7488; aws/aws-cli#8717',
    ...bedrock(400, 'ValidationException', 'Operation not allowed'),
    verdict: OURS.credential,
  },
  {
    shape: 'an account that is not authorized',
    source: 'aws-samples/amazon-bedrock-client-for-mac#1',
    ...bedrock(
      403,
      'AccessDeniedException:http://internal.amazon.com/coral/com.amazon.bedrock/',
      'Your account is not authorized to invoke this API operation.',
    ),
    verdict: OURS.credential,
  },
  {
    shape: 'a role that may not subscribe to the model',
    source: 'ministryofjustice/modernisation-platform-environments#18323',
    ...bedrock(
      403,
      'AccessDeniedException',
      'Model access is denied due to IAM user or service role is not authorized to perform the required AWS Marketplace actions (aws-marketplace:ViewSubscriptions, aws-marketplace:Subscribe) to enable access to this model.',
    ),
    verdict: OURS.credential,
  },
  {
    shape: 'a model without access',
    source: 'strands-agents/harness-sdk#38',
    ...bedrock(
      403,
      'AccessDeniedException',
      "You don't have access to the model with the specified model ID.",
    ),
    verdict: OURS.credential,
  },
  {
    shape: 'a model that does not exist',
    source: 'strands-agents/harness-sdk#38',
    ...bedrock(400, 'ValidationException', 'The provided model identifier is invalid.'),
    verdict: OURS.not_found,
  },
  {
    shape: 'a model that needs a profile',
    source: 'terricain/aioboto3#352',
    ...bedrock(
      400,
      'ValidationException',
      'Invocation of model ID anthropic.claude-3-5-sonnet-20241022-v2:0 with on-demand throughput isn’t supported. Retry your request with the ID or ARN of an inference profile that contains this model.',
    ),
    verdict: OURS.not_found,
  },
  {
    shape: 'an operation that does not exist, as behind a wrong address',
    source: 'docs.aws.amazon.com/bedrock/latest/APIReference/CommonErrors.html',
    provider: 'bedrock',
    status: 404,
    body: '<UnknownOperationException/>',
    verdict: OURS.not_found,
  },
  {
    shape: 'a call that the model wrote wrongly',
    source: 'strands-agents/harness-sdk#649; SEMOSS/Semoss#2892',
    ...bedrock(
      424,
      'ModelErrorException',
      'Model produced invalid sequence as part of ToolUse. Please refer to the model tool use troubleshooting guide.',
    ),
    verdict: THE_MODELS,
  },
  {
    shape: 'too many images and documents',
    source: 'boto/boto3#4632',
    ...bedrock(
      400,
      'ValidationException',
      'The model returned the following errors: messages: too many images and documents: 19 + 5 > 20',
    ),
    verdict: oversized('images', 'messages', [20]),
  },
  {
    shape: 'an image with too many pixels',
    source: 'aws-samples/video-semantic-search-with-aws-ai-ml-services#4',
    ...bedrock(400, 'ValidationException', '400 Bad Request: Image exceeds max pixels allowed.'),
    verdict: oversized('image', 'messages'),
  },
  {
    shape: 'an output limit above that of the model',
    source: 'langgenius/dify#10390',
    ...bedrock(
      400,
      'ValidationException',
      'The maximum tokens you requested exceeds the model limit of 4096. Try again with a maximum tokens value that is lower than 4096.',
    ),
    verdict: callers('max_tokens', [4_096]),
  },
  {
    shape: 'a prompt above the context',
    source: 'aws-solutions-library-samples/accelerated-intelligent-document-processing-on-aws#998',
    ...bedrock(400, 'ValidationException', 'Input is too long for requested model.'),
    verdict: tooLong(),
  },
  {
    shape: 'a rate that is used up, in words that sound like a long prompt',
    source: 'ranxianglei/billion-context-pi issue 169',
    ...bedrock(429, 'ThrottlingException', 'Too many tokens, please wait before trying again.'),
    verdict: limited(),
  },
  {
    shape: "a day's tokens that are used up",
    source: 'minorun365/agent-book#29; Ivy-Interactive/Ivy-Tendril#1756',
    ...bedrock(429, 'ThrottlingException', 'Too many tokens per day, please wait before trying again.'),
    verdict: limited(),
  },
  {
    shape: 'a quota of the account, after which one may ask again',
    source: 'docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_InvokeModel.html',
    ...bedrock(
      400,
      'ServiceQuotaExceededException',
      'Your request exceeds the service quota for your account.',
    ),
    verdict: limited(),
  },
  {
    shape: 'what the model does not take',
    source: 'NousResearch/hermes-agent#97281',
    ...bedrock(
      400,
      'ValidationException',
      'The model returned the following errors: Malformed input request: #/toolConfig/tools/18: extraneous key [cachePoint] is not permitted, please reformat your input and try again.',
    ),
    verdict: callers(),
  },
]
