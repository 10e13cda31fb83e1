import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.opensearch.analysis.common.CommonAnalysisPlugin;
import org.opensearch.common.settings.Settings;
import org.opensearch.http.HttpServerTransport;
import org.opensearch.index.rankeval.RankEvalPlugin;
import org.opensearch.node.InternalSettingsPreparer;
import org.opensearch.node.Node;
import org.opensearch.transport.Netty4Plugin;

/** One node of OpenSearch from the jars of Maven Central: arguments HOME PORT, 0 for a free port. */
public final class Server extends Node {
    private Server(Map<String, String> settings) {
        super(
            InternalSettingsPreparer.prepareEnvironment(Settings.EMPTY, settings, null, () -> "engine"),
            List.of(Netty4Plugin.class, CommonAnalysisPlugin.class, RankEvalPlugin.class),
            false);
    }

    public static void main(String[] arguments) throws Exception {
        try (Server node = new Server(Ready.node(arguments[0], arguments[1]))) {
            node.start();
            HttpServerTransport http = node.injector().getInstance(HttpServerTransport.class);
            Ready.until(Path.of(arguments[0]), http.boundAddress().publishAddress().getPort());
        }
    }
}
