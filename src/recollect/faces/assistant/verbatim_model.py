"""A chat model that is sent what a request says, word for word."""

from copy import copy

from pydantic_ai.messages import ModelMessage, RetryFeedbackPart
from pydantic_ai.models import Model, ModelRequestParameters
from pydantic_ai.models.wrapper import WrapperModel
from pydantic_ai.profiles import ModelProfile, merge_profile


class VerbatimModel(WrapperModel):
    """For models without system messages in mid-conversation, pydantic-ai writes such messages into a user turn, in a
    tag: it explains the tag in every request, and escapes it in what people say. Only a request that asks again for an
    answer has one, so the others go out without either.
    """

    def __init__(self, model: Model) -> None:
        super().__init__(model)
        self._without_tag = copy(model)
        self._without_tag.profile = merge_profile(model.profile, ModelProfile(supports_inline_system_prompts=True))

    def prepare_messages(
        self, messages: list[ModelMessage], model_request_parameters: ModelRequestParameters | None = None
    ) -> list[ModelMessage]:
        asks_again = any(isinstance(part, RetryFeedbackPart) for message in messages for part in message.parts)
        model = self.wrapped if asks_again else self._without_tag
        return model.prepare_messages(messages, model_request_parameters)
