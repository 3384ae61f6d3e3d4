package dev.berth.server.loop;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.job.GpuId;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class InboxTest {
    private static Message.Service service(String gpu) {
        return new Message.Service(new GpuId(gpu), "ada", "loud fan", new CompletableFuture<>());
    }

    @Test
    void whatTheServerItselfInsistsOnIsNotRefusedWhereClientsAre() throws InterruptedException {
        Inbox inbox = new Inbox(1);
        Message.Service first = service("GPU-1");
        Message.Service second = service("GPU-2");
        Message.Service sick = service("GPU-3");
        assertThat(inbox.ask(first)).isTrue();
        assertThat(inbox.ask(second)).isFalse();

        inbox.insist(sick);

        assertThat(inbox.take(Duration.ofSeconds(30))).containsExactly(first, sick);
        assertThat(inbox.ask(second)).as("there is room again, and not more").isTrue();
        assertThat(inbox.ask(service("GPU-4"))).isFalse();
    }
}
