package gateway

import (
	"maps"
	"net/http"
	"slices"

	"perdiem/meter"
)

// The reasons of the gateway's own gates; the meter has the others.
const (
	ForeignHost           meter.Reason = "FOREIGN_HOST"
	BodyTooLarge          meter.Reason = "BODY_TOO_LARGE"
	BodyEncoded           meter.Reason = "BODY_ENCODED"
	MemoryTaken           meter.Reason = "MEMORY_TAKEN"
	ModelNotFound         meter.Reason = "MODEL_NOT_FOUND"
	PassRequired          meter.Reason = "PASS_REQUIRED"
	PassInvalid           meter.Reason = "PASS_INVALID"
	PassThrottled         meter.Reason = "PASS_THROTTLED"
	ProviderNotConfigured meter.Reason = "PROVIDER_NOT_CONFIGURED"
	ProviderDown          meter.Reason = "PROVIDER_DOWN"
	DialectNotServed      meter.Reason = "DIALECT_NOT_SERVED"
	InvalidRequest        meter.Reason = "INVALID_REQUEST"
	ContextLimit          meter.Reason = "CONTEXT_LIMIT"
	ObjectNotFound        meter.Reason = "OBJECT_NOT_FOUND"
	MeterUnavailable      meter.Reason = "METER_UNAVAILABLE"
	Closing               meter.Reason = "CLOSING"
)

// answer is how a reason is told over HTTP: the status, and OpenAI's words for type and code.
type answer struct {
	status     int
	kind, code string
	retry      bool // trying the very same again may help soon
}

// answers is the one place that maps reasons to statuses.
var answers = map[meter.Reason]answer{
	ForeignHost:             {http.StatusForbidden, "permission_error", "foreign_host", false},
	BodyTooLarge:            {http.StatusRequestEntityTooLarge, "invalid_request_error", "body_too_large", false},
	MemoryTaken:             {http.StatusServiceUnavailable, "server_error", "memory_taken", true},
	BodyEncoded:             {http.StatusUnsupportedMediaType, "invalid_request_error", "body_encoded", false},
	ModelNotFound:           {http.StatusNotFound, "invalid_request_error", "model_not_found", false},
	PassRequired:            {http.StatusUnauthorized, "invalid_request_error", "invalid_api_key", false},
	PassInvalid:             {http.StatusUnauthorized, "invalid_request_error", "invalid_api_key", false},
	PassThrottled:           {http.StatusTooManyRequests, "requests", "rate_limit_exceeded", false},
	meter.PersonSuspended:   {http.StatusForbidden, "permission_error", "person_suspended", false},
	meter.ModelNotAllowed:   {http.StatusNotFound, "invalid_request_error", "model_not_allowed", false},
	ProviderNotConfigured:   {http.StatusServiceUnavailable, "server_error", "provider_not_configured", false},
	ProviderDown:            {http.StatusServiceUnavailable, "server_error", "provider_down", true},
	DialectNotServed:        {http.StatusBadRequest, "invalid_request_error", "dialect_not_served", false},
	meter.RateLimit:         {http.StatusTooManyRequests, "requests", "rate_limit_exceeded", true},
	InvalidRequest:          {http.StatusBadRequest, "invalid_request_error", "invalid_request", false},
	ObjectNotFound:          {http.StatusNotFound, "invalid_request_error", "not_found", false},
	ContextLimit:            {http.StatusBadRequest, "invalid_request_error", "context_length_exceeded", false},
	meter.DailyRequestLimit: {http.StatusTooManyRequests, "insufficient_quota", "insufficient_quota", false},
	meter.DailyTokenLimit:   {http.StatusTooManyRequests, "insufficient_quota", "insufficient_quota", false},
	meter.DailyCostLimit:    {http.StatusTooManyRequests, "insufficient_quota", "insufficient_quota", false},
	meter.TeamCeiling:       {http.StatusTooManyRequests, "insufficient_quota", "insufficient_quota", false},
	meter.KeysSpent:         {http.StatusTooManyRequests, "insufficient_quota", "insufficient_quota", false},
	meter.PriceUnknown:      {http.StatusForbidden, "permission_error", "price_unknown", false},
	meter.InProgress:        {http.StatusConflict, "invalid_request_error", "in_progress", true},
	meter.KeyReused:         {http.StatusUnprocessableEntity, "invalid_request_error", "idempotency_key_reused", false},
	meter.AnswerNotKept:     {http.StatusConflict, "invalid_request_error", "answer_not_kept", false},
	MeterUnavailable:        {http.StatusServiceUnavailable, "server_error", "meter_unavailable", true},
	Closing:                 {http.StatusServiceUnavailable, "server_error", "closing", true},
}

// Reasons are all that a request is refused for, by their names.
func Reasons() []meter.Reason { return slices.Sorted(maps.Keys(answers)) }

// answerTo finds how a reason is told; one that the table lacks is our own fault.
func answerTo(r meter.Reason) answer {
	if a, ok := answers[r]; ok {
		return a
	}
	return answer{http.StatusInternalServerError, "server_error", "internal_error", false}
}
