package dev.berth.server.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.berth.core.api.DrainRequest;
import dev.berth.core.api.SubmitRequest;
import dev.berth.server.bounds.MemoryBudget;
import dev.berth.server.bounds.MemoryBudget.Share;
import dev.berth.server.bounds.NoMemoryException;
import dev.berth.server.http.exchange.ApiException;
import dev.berth.server.http.exchange.Json;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

/** What a request's body may take. */
class JsonTest {
    private static final int MIB = 1 << 20;

    private static InputStream of(int bytes) {
        return new ByteArrayInputStream(new byte[bytes]);
    }

    private static ApiException refusal(String body) {
        ApiException refusal = catchThrowableOfType(
                ApiException.class, () -> Json.parse(body.getBytes(StandardCharsets.UTF_8), SubmitRequest.class));
        assertThat(refusal).as("it was read").isNotNull();
        return refusal;
    }

    @Test
    void aSubmitTakesMemoryAsItComesAndIsRefusedInTheMiddleOfIt() throws IOException {
        try (Share share = new MemoryBudget(8L * MIB, 6L * MIB).share(1)) {
            assertThat(Json.body(of(MIB - 1), share)).hasSize(MIB - 1);
            assertThatExceptionOfType(NoMemoryException.class).isThrownBy(() -> Json.body(of(1 << 14), share));
        }
    }

    @Test
    void aBodyHasABound() {
        try (Share share = new MemoryBudget(64L * MIB, 64L * MIB).share(1)) {
            ApiException refusal = catchThrowableOfType(ApiException.class, () -> Json.body(of(MIB + 1), share));
            assertThat(refusal.status()).isEqualTo(413);
            assertThat(refusal).hasMessage("the request's body is larger than 1048576 bytes");
        }
        ApiException refusal = catchThrowableOfType(
                ApiException.class, () -> Json.read(of(Json.MAX_BODY_BYTES + 1), DrainRequest.class));
        assertThat(refusal.status()).isEqualTo(413);
        assertThat(refusal).hasMessage("the request's body is larger than 65536 bytes");
    }

    @Test
    void nestingAndNumbersHaveBounds() {
        assertThat(refusal("{\"command\": " + "[".repeat(100_000)).status()).isEqualTo(400);
        assertThat(refusal("{\"gpus\": " + "9".repeat(100_000) + "}").status()).isEqualTo(400);
        assertThat(refusal("{\"" + "a".repeat(200_000) + "\": 1}").status()).isEqualTo(400);
        assertThat(refusal("{\"gpus\": 1e999999999}").status()).isEqualTo(400);
    }
}
