package dev.berth.server.notify;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.berth.server.notify.DatabaseUse.ClosedException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class DatabaseUseTest {
    @Test
    void whoComesOnceItIsClosedIsTold() throws Exception {
        DatabaseUse use = new DatabaseUse();
        use.close();
        assertThatThrownBy(() -> use.of(() -> "done")).isInstanceOf(ClosedException.class);
    }
}
