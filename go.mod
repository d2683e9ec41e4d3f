module github.com/gpumemlint/gpumemlint

go 1.25.0

require (
	github.com/chzyer/readline v1.5.1 // indirect
	github.com/ebitengine/purego v0.11.3 // indirect
	github.com/golangci/plugin-module-register v0.1.2 // indirect
	github.com/google/pprof v0.0.0-20260115054156-294ebfa9ad83 // indirect
	github.com/ianlancetaylor/demangle v0.0.0-20250417193237-f615e6bd150b // indirect
	github.com/rogpeppe/go-internal v1.15.0 // indirect
	golang.org/x/mod v0.39.0 // indirect
	golang.org/x/sync v0.22.0 // indirect
	golang.org/x/sys v0.47.0 // indirect
	golang.org/x/term v0.44.0 // indirect
	golang.org/x/tools v0.49.0 // indirect
)
