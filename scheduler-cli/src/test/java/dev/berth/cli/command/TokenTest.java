package dev.berth.cli.command;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.cli.exit.ExitCode;
import dev.berth.cli.json.JsonText;
import dev.berth.core.api.ApiError;
import dev.berth.core.api.CreatedToken;
import dev.berth.core.api.TokenList;
import dev.berth.core.api.TokenView;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** {@code berth token}: requests, output, exit codes. */
class TokenTest {
    private static final String CREATE = "POST /api/v1/tokens";
    private static final String LIST = "GET /api/v1/tokens";
    private static final String ID = "0123456789abcdef";

    @RegisterExtension
    private final CommandStage stage = CommandStage.open();

    private static TokenView token(String id, @Nullable String end, @Nullable String revoked) {
        return new TokenView(id, "laptop", "ada", "submit", "2026-02-01T09:30:00Z", end, revoked, null);
    }

    private static CreatedToken created() {
        return new CreatedToken("berth_x_y", token(ID, "2026-04-01T09:30:00Z", null));
    }

    @Test
    void theTokenAloneIsPrinted() {
        stage.server().json(CREATE, 201, created());
        assertThat(stage.run("token", "create", "--name", "laptop", "--scope", "read", "--expires", "7d"))
                .isZero();
        assertThat(stage.server().received(CREATE).text())
                .isEqualTo(
                        "{\"name\":\"laptop\",\"scope\":\"read\",\"expiresInSeconds\":604800,\"neverExpires\":null}");
        assertThat(stage.out()).isEqualTo("berth_x_y\n");
        assertThat(stage.err())
                .startsWith("this is token " + ID
                        + " (laptop) of ada, scope submit, until 2026-04-01 09:30:00 UTC; it is shown this once.");
    }

    @Test
    void quietAndJsonHaveTheTokenToo() {
        stage.server().json(CREATE, 201, created()).json(CREATE, 201, created());
        assertThat(stage.run("token", "create", "-q")).isZero();
        assertThat(stage.run("token", "create", "--json", "--expires", "never")).isZero();
        assertThat(stage.out()).isEqualTo("berth_x_y\n" + JsonText.of(created()) + "\n");
        assertThat(stage.err()).isEmpty();
        assertThat(stage.server().received().getLast().text())
                .isEqualTo("{\"name\":null,\"scope\":null,\"expiresInSeconds\":null,\"neverExpires\":true}");
    }

    @Test
    void aBadEndIsRefusedHere() {
        assertThat(stage.run("token", "create", "--expires", "soon")).isEqualTo(ExitCode.USAGE);
        assertThat(stage.err()).contains("--expires: 'soon' is not a duration above zero");
    }

    @Test
    void tokensAreListed() {
        TokenList list = new TokenList(List.of(
                token(ID, "2099-04-01T09:30:00Z", null),
                token("1", "2000-01-01T00:00:00Z", null),
                token("2", null, null),
                token("3", null, "2026-02-02T00:00:00Z")));
        stage.server()
                .json(LIST, 200, list)
                .json(LIST, 200, list)
                .json(LIST, 200, list)
                .json(LIST, 200, new TokenList(List.of()));
        assertThat(stage.run("token", "list")).isZero();
        assertThat(stage.out().lines())
                .hasSize(5)
                .anySatisfy(line -> assertThat(line).startsWith(ID).contains("expires in "))
                .anySatisfy(line -> assertThat(line).startsWith("1 ").endsWith("expired"))
                .anySatisfy(line -> assertThat(line).startsWith("2 ").endsWith("never expires"))
                .anySatisfy(line -> assertThat(line).startsWith("3 ").endsWith("revoked"));
        assertThat(stage.run("token", "list", "-q")).isZero();
        assertThat(stage.out()).endsWith(ID + "\n1\n2\n");
        assertThat(stage.run("token", "list", "--json")).isZero();
        assertThat(stage.out()).endsWith(JsonText.of(list) + "\n");
        assertThat(stage.run("token", "list")).isZero();
        assertThat(stage.err()).isEqualTo("you have no tokens; berth token create makes one\n");
    }

    @Test
    void tokensAreRevoked() {
        String other = "fedcba9876543210";
        stage.server()
                .json(
                        "POST /api/v1/tokens/" + other + "/revoke",
                        404,
                        new ApiError("TOKEN_NOT_FOUND", "no such token", Map.of()))
                .json("POST /api/v1/tokens/" + ID + "/revoke", 200, token(ID, null, "2026-02-02T00:00:00Z"));
        assertThat(stage.run("token", "revoke", other, ID)).isEqualTo(ExitCode.REFUSED);
        assertThat(stage.out()).isEqualTo("token " + ID + " (laptop) is revoked\n");
        assertThat(stage.err()).isEqualTo("berth: no such token\n");
    }

    @Test
    void whatIsNoIdIsNotSentAndNotRepeated() {
        assertThat(stage.run("token", "revoke", "berth_0123456789abcdef_secret"))
                .isEqualTo(ExitCode.USAGE);
        assertThat(stage.err())
                .contains("not the id of a token")
                .doesNotContain("secret_")
                .doesNotContain("_secret");
        assertThat(stage.run("token", "revoke", "../../jobs/1/cancel")).isEqualTo(ExitCode.USAGE);
        assertThat(stage.run("token", "revoke")).isEqualTo(ExitCode.USAGE);
    }

    @Test
    void aGroupNeedsItsSecondWord() {
        assertThat(stage.run("token")).isEqualTo(ExitCode.USAGE);
        assertThat(stage.err()).isEqualTo("berth: berth token needs one of create, list, revoke behind it\n");
        assertThat(stage.run("server")).isEqualTo(ExitCode.USAGE);
        assertThat(stage.err())
                .endsWith(
                        "berth server needs one of start, stop, status, pause, resume, backup, restore, check behind it\n");
        assertThat(stage.run("help", "token")).isZero();
        assertThat(stage.run("token", "--help")).isZero();
    }
}
