package dev.berth.server.http;

import dev.berth.server.bounds.NoMemoryException;
import dev.berth.server.http.exchange.AnswerBrokenOff;
import dev.berth.server.http.exchange.ApiException;
import dev.berth.server.loop.BusyException;
import dev.berth.server.store.track.TrackingException;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.TimeoutException;
import org.eclipse.jetty.http.HttpException;
import org.eclipse.jetty.http.HttpStatus;
import org.eclipse.jetty.io.EofException;
import org.jspecify.annotations.Nullable;

/** The meaning of an exception on the way of a request: in one place, so that it means the same on every route. */
sealed interface JettyFailure {
    /** The request is refused, and its sender is told why. */
    record Refused(ApiException refusal) implements JettyFailure {}

    /** Nobody is there to be told, or the answer cannot go on: their doing, or the end of the server, and no fault of it. */
    record BrokenOff(String why) implements JettyFailure {}

    /** The server's own fault. */
    record Fault(Exception why) implements JettyFailure {}

    /**
     * The meaning of a failure.
     *
     * @param isGone whether the connection has ended
     */
    static JettyFailure of(Exception failure, boolean isGone) {
        if (failure instanceof ApiException refusal) {
            return new Refused(refusal);
        }
        if (failure instanceof BusyException busy) {
            return new Refused(busy(busy));
        }
        if (failure instanceof NoMemoryException tooMuch) {
            return new Refused(tooMuch(String.valueOf(tooMuch.getMessage())));
        }
        if (failure instanceof TrackingException without) {
            return new Refused(without(without));
        }
        boolean hasEnded = failure instanceof AnswerBrokenOff
                || failure instanceof InterruptedException
                || (isGone && (failure instanceof IOException || failure instanceof HttpException));
        if (hasEnded) {
            return new BrokenOff(failure.toString());
        }
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof HttpException bad && isTheirs(bad.getCode())) {
                return new Refused(unreadable(bad.getCode(), bad.getReason()));
            }
            if (cause instanceof TimeoutException) {
                return new BrokenOff(failure.toString());
            }
            if (cause instanceof EofException) {
                return new Refused(ApiException.badRequest("the request ended before its end"));
            }
        }
        return new Fault(failure);
    }

    /** The request is not one at all; the reason is Jetty's, and short. */
    static ApiException unreadable(int status, @Nullable String reason) {
        return ApiException.badRequest("the request is none that Berth reads: "
                + (reason == null || reason.isBlank() ? HttpStatus.getMessage(status) : reason));
    }

    static boolean isTheirs(int status) {
        return HttpStatus.isClientError(status)
                || status == HttpStatus.NOT_IMPLEMENTED_501
                || status == HttpStatus.HTTP_VERSION_NOT_SUPPORTED_505;
    }

    static ApiException internal() {
        return ApiException.of(500, "INTERNAL", "Berth failed at this; the server's log says how");
    }

    private static ApiException without(TrackingException e) {
        return ApiException.of(
                503,
                "TRACKING_FAILED",
                "what jobs told of themselves cannot be read, and they run on: " + e.getMessage());
    }

    private static ApiException busy(BusyException e) {
        String message = String.valueOf(e.getMessage());
        return e.isStopping() ? ApiException.stopping(message) : tooMuch(message);
    }

    private static ApiException tooMuch(String message) {
        return ApiException.tooMuch(HttpStatus.TOO_MANY_REQUESTS_429, "BUSY", message, Duration.ofSeconds(1));
    }
}
