package dev.berth.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.server.linux.Capabilities;
import java.io.IOException;
import org.junit.jupiter.api.Test;

class RightsTest {
    private static final long NEEDED = 0x2800ebL;

    @Test
    void whoHasWhatItNeedsSaysNothing() {
        assertThat(Rights.warnings(new Capabilities(NEEDED, NEEDED))).isEmpty();
    }

    @Test
    void whatIsMissingIsNamedWithWhatIsRefused() {
        assertThat(Rights.warnings(new Capabilities(NEEDED & ~(1L << 21), NEEDED)))
                .containsExactly("the server was started without CAP_SYS_ADMIN: mounts are refused");
        assertThat(Rights.warnings(new Capabilities(0, 0))).hasSize(8);
    }

    @Test
    void allOfRootsRightsAreTooMany() {
        assertThat(Rights.warnings(new Capabilities(NEEDED, 0x1ff_ffff_ffffL)))
                .singleElement()
                .asString()
                .contains("those that it does not need", "install setpriv");
    }

    @Test
    void theRightsOfThisProcessAreRead() throws IOException {
        assertThat(Capabilities.ofThisProcess().bounding()).isNotNegative();
    }
}
