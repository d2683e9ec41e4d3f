module github.com/gpumemlint/gpumemlint

go 1.25.0

require (
	github.com/ebitengine/purego v0.11.3
	github.com/golangci/plugin-module-register v0.1.2
	github.com/google/pprof v0.0.0-20260115054156-294ebfa9ad83
	github.com/rogpeppe/go-internal v1.15.0
	golang.org/x/term v0.44.0
	golang.org/x/tools v0.49.0
)

require (
	golang.org/x/mod v0.39.0 // indirect
	golang.org/x/sync v0.22.0 // indirect
	golang.org/x/sys v0.47.0 // indirect
)
